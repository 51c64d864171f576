import PeerSync
import PeerSyncControl

extension Command {
  /// Does what the command says.
  ///
  /// - Throws: ``ExitStatus`` when everything has been said; any other error is told to the person
  func run(data: String, _ console: Console) async throws {
    switch self {
    case .help(let topic): try console.print(line: Command.help(topic, console.language))
    case .version: try console.print(VersionResult(version: Version.current)) { "peerd \(Version.current)\n" }
    case .completions(let shell): try console.print(document: String(shell.script.dropLast()))
    case .manual(let name):
      let spec = name.flatMap { Grammar.page(named: $0) }
      try console.print(document: String((spec.map(ManualPage.page) ?? ManualPage.overview).dropLast()))
    case .configure(let name, let value):
      try ConfigCommand.run(name: name, value: value, directory: data, console)
    case .doctor: try await DoctorCommand(directory: data).run(console)
    case .initialize(let options): try InitCommand(directory: data, options: options).run(console)
    case .run(let options): try await RunCommand(directory: data, options: options).run(console)
    case .simulate(let options): try SimulateCommand(options: options).run(console)
    case .explore(let options): try ExploreCommand(options: options).run(console)
    case .rehearse(let options): try await RehearseCommand(options: options).run(console)
    case .lab(let options): try await LabCommand(options: options).run(console)
    case .bench(let benchmark): try await BenchCommand(benchmark: benchmark).run(console)
    case .store(let options): try await StoreCommand(directory: data, options: options).run(console)
    case .storeShow(let view):
      try await StoreShowCommand.run(view, try ControlClient(directory: data, isStore: true), console)
    case .storeProducts(let account):
      try await StoreProductsCommand.run(
        openTo: account, try ControlClient(directory: data, isStore: true), console)
    case .storeDemand(let demand):
      try await StoreDemandCommand.run(demand, try ControlClient(directory: data, isStore: true), console)
    default: try await askDaemon(of: data, console)
    }
  }

  private func askDaemon(of directory: String, _ console: Console) async throws {
    let client = try ControlClient(directory: directory)
    if case .products = self {
      try await ProductsCommand.run(client, directory: directory, console)
    } else {
      try await ask(client, console)
    }
    // The daemon answers, and does not know it yet.
    if client.isWithoutDatabase { Console.complain(console.words(.databaseGone(directory))) }
  }

  /// Whether a sandbox store answers it.
  var asksStore: Bool {
    switch self {
    case .storeShow, .storeProducts, .storeDemand: true
    default: false
    }
  }

  /// The commands that a running daemon answers.
  private func ask(_ client: ControlClient, _ console: Console) async throws {
    switch self {
    case .invite: try await InviteCommand.run(client, console)
    case .join(let url): try await JoinCommand.run(url, client, console)
    case .devices: try await DevicesCommand.run(client, console)
    case .leave(let isConfirmed): try await LeaveCommand.run(isConfirmed: isConfirmed, client, console)
    case .rename(let name): try await RenameCommand.run(name, client, console)
    case .remove(let options): try await RemoveCommand.run(options, client, console)
    case .addCatalogue(let file): try await CatalogueCommand.add(file, client, console)
    case .buy(let options): try await BuyCommand.run(options, client, console)
    case .refund(let transaction): try await RefundCommand.run(transaction, client, console)
    case .spend(let options): try await SpendCommand.run(options, client, console)
    case .reclaim(let credit, let fromLost):
      try await ReclaimCommand.run(credit, fromLost: fromLost, client, console)
    case .ingest(let file): try await IngestCommand.run(file, client, console)
    case .notifications: try await NotificationsCommand.run(client, console)
    case .dashboard(let opens): try await DashboardCommand.run(opens: opens, client, console)
    case .status: try await StatusCommand.run(client, console)
    case .why(let entitlement): try await WhyCommand.run(entitlement, client, console)
    case .watch: try await WatchCommand.run(client, console)
    case .history(let since, let limit):
      try await HistoryCommand.run(since: since, limit: limit, client, console)
    case .transactions: try await TransactionsCommand.run(client, console)
    case .wait(let options): try await WaitCommand(options: options).run(client, console)
    case .time(let accept, let isConfirmed):
      try await TimeCommand(accept: accept, isConfirmed: isConfirmed).run(client, console)
    case .offline: try await NetworkCommand.run(online: false, client, console)
    case .online: try await NetworkCommand.run(online: true, client, console)
    case .setExpiration(let line, let date): try await SetExpirationCommand.run(line, date, client, console)
    case .grant(let entitlement, let until): try await GrantCommand.run(entitlement, until, client, console)
    case .revoke(let entitlement): try await RevokeCommand.run(entitlement, client, console)
    case .exportLedger(let file): try await ExportCommand.run(file, client, console)
    case .importLedger(let file): try await ImportCommand.run(file, client, console)
    case .restore: try await RestoreCommand.run(client, console)
    case .help, .version, .configure, .doctor, .completions, .manual, .products, .initialize, .run, .simulate,
      .explore, .rehearse, .lab, .bench, .store, .storeShow,
      .storeProducts,
      .storeDemand:
      break
    }
  }

  /// What `peerd version --json` prints.
  private struct VersionResult: Encodable {
    let version: String
  }

  private static func help(_ topic: String?, _ language: SentenceLanguage) -> String {
    let usage = Usage(in: language)
    let spec = topic.flatMap { Grammar.command(named: $0) }
    return String((spec.map(usage.help) ?? usage.overview).dropLast())
  }
}

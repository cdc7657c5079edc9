import java.nio.file.Path;
import java.util.Map;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/**
 * Runs one Elasticsearch node from a home that node.ts prepared: `java … Launcher <home> <data> <http port> [address]`, or one of a
 * cluster: `… <address> <name> <transport port> <all transport addresses> <all names>`, both lists with commas. It exits when
 * its standard input closes, so that it never outlives its parent process.
 */
public final class Launcher {
  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]);
    Path data = Path.of(arguments[1]);
    boolean isAlone = arguments.length < 8;
    String name = isAlone ? "bridge-1" : arguments[4];
    Settings.Builder settings = Settings.builder()
        .put("path.home", home.toString())
        .put("path.data", data.resolve("nodes").toString())
        .put("path.logs", data.resolve("logs").toString())
        .put("cluster.name", "bridge")
        .put("node.name", name)
        .put("node.portsfile", true)
        .put("network.host", arguments.length > 3 ? arguments[3] : "127.0.0.1")
        .put("http.port", arguments[2])
        .put("transport.port", isAlone ? "0" : arguments[5]);
    if (isAlone) settings.put("discovery.type", "single-node");
    else
      settings
          .putList("discovery.seed_hosts", arguments[6].split(","))
          .putList("cluster.initial_master_nodes", arguments[7].split(","));
    LogConfigurator.configureESLogging();
    var environment = InternalSettingsPreparer.prepareEnvironment(
        settings.build(), Map.of(), home.resolve("config"), () -> name);
    var modules = PluginsLoader.loadModulesBundles(home.resolve("modules"), false);
    var plugins = PluginsLoader.loadPluginsBundles(home.resolve("plugins"), false);
    Node node = new Node(environment, PluginsLoader.createPluginsLoader(modules, plugins, Map.of()));
    node.start();
    System.out.println("started");
    while (System.in.read() >= 0) {}
    node.close();
    System.exit(0);
  }
}

package java.lang;

import java.lang.InquestCodes.Child;
import jdk.internal.vm.annotation.Hidden;

/** Processes that the program starts: JVMs among them are recorded, too. Called where the JDK starts a process. */
final class InquestChildren {
    private InquestChildren() {}

    /** The command of a process that the program starts: if it is a JVM, it is told to load the agent. */
    @Hidden
    static String[] command(String[] command) {
        try {
            String program = command[0];
            if (!(program.equals("java") || program.endsWith("/bin/java"))) return command;
            String options = InquestAgent.child(Child.ARGUMENTS);
            if (options == null) return command;
            int count = 1;
            for (int end = options.indexOf('\n'); end >= 0; end = options.indexOf('\n', end + 1)) count++;
            String[] longer = new String[command.length + count];
            longer[0] = program;
            for (int i = 1, start = 0; i <= count; i++) {
                int end = i < count ? options.indexOf('\n', start) : options.length();
                longer[i] = options.substring(start, end);
                start = end + 1;
            }
            System.arraycopy(command, 1, longer, count + 1, command.length - 1);
            return longer;
        } catch (Throwable notRecorded) {
            return command;
        }
    }

    /** The environment of a process that the program starts: a script may start a JVM in turn. */
    @Hidden
    static java.util.Map<String, String> environment(String[] command, java.util.Map<String, String> environment) {
        try {
            if (hasAgent(command)) return environment;
            // Without a map the child inherits the environment of this process.
            String options = InquestAgent.child(environment == null ? Child.INHERITED_ENVIRONMENT : Child.ENVIRONMENT);
            if (options != null && environment != null) {
                String own = environment.get("JAVA_TOOL_OPTIONS");
                environment.put("JAVA_TOOL_OPTIONS", own == null ? options : own + " " + options);
            }
        } catch (Throwable notRecorded) {
            // The child runs all the same.
        }
        return environment;
    }

    /** Whether the options stand in the command already. */
    private static boolean hasAgent(String[] command) {
        for (String argument : command) {
            if (argument.startsWith("-agentpath:") && argument.contains("inquest-agent")) return true;
        }
        return false;
    }
}

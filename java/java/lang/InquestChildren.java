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
            int line = options.indexOf('\n');
            String[] longer = new String[command.length + 2];
            longer[0] = program;
            longer[1] = options.substring(0, line);
            longer[2] = options.substring(line + 1);
            System.arraycopy(command, 1, longer, 3, command.length - 1);
            return longer;
        } catch (Throwable notRecorded) {
            return command;
        }
    }

    /** The environment of a process that the program starts: a script may start a JVM in turn. */
    @Hidden
    static java.util.Map<String, String> environment(String[] command, java.util.Map<String, String> environment) {
        try {
            if (command.length > 2 && command[2].contains("inquest-agent")) return environment;
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
}

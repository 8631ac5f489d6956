import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.tools.ant.BuildEvent;
import org.apache.tools.ant.BuildException;
import org.apache.tools.ant.BuildListener;
import org.apache.tools.ant.Project;
import org.apache.tools.ant.ProjectHelper;

/**
 * ant: builds the small project of bench/ant in a fresh folder. Arguments: how often, and the target:
 * {@code pack} (copy, filter, concat, jar: needs no compiler) or {@code all} (also compiles and runs it in a new JVM,
 * where there is a compiler).
 */
public class AntProgram {
    /** Prints what ant says, without times and without the folder's name. */
    private static final class Printer implements BuildListener {
        private final boolean loud;
        private long seen;

        Printer(boolean loud) {
            this.loud = loud;
        }

        @Override
        public void messageLogged(BuildEvent event) {
            if (event.getPriority() > Project.MSG_INFO) return;
            String text = event.getMessage().replace(event.getProject().getProperty("work"), "WORK");
            seen = seen * 31 + text.hashCode();
            if (loud) System.out.println((event.getTask() == null ? "" : "[" + event.getTask().getTaskName() + "] ") + text);
        }

        @Override
        public void targetStarted(BuildEvent event) {
            if (loud) System.out.println(event.getTarget().getName() + ":");
        }

        @Override
        public void buildStarted(BuildEvent event) {}

        @Override
        public void buildFinished(BuildEvent event) {}

        @Override
        public void targetFinished(BuildEvent event) {}

        @Override
        public void taskStarted(BuildEvent event) {}

        @Override
        public void taskFinished(BuildEvent event) {}
    }

    public static void main(String[] args) throws Exception {
        int builds = Integer.parseInt(args[0]);
        String target = args[1];
        File buildFile = new File(args[2]);
        long checksum = 0;
        for (int build = 0; build < builds; build++) {
            Path work = Files.createTempDirectory("inquest-ant");
            try {
                checksum = checksum * 31 + build(buildFile, target, work, build == 0);
            } finally {
                delete(work);
            }
        }
        System.out.println("ant " + checksum);
    }

    private static long build(File buildFile, String target, Path work, boolean loud) throws IOException {
        Project project = new Project();
        Printer printer = new Printer(loud);
        project.addBuildListener(printer);
        project.init();
        project.setUserProperty("ant.file", buildFile.getAbsolutePath());
        project.setUserProperty("work", work.toString());
        if (javax.tools.ToolProvider.getSystemJavaCompiler() != null) project.setUserProperty("compiler.there", "yes");
        ProjectHelper.configureProject(project, buildFile);
        try {
            project.executeTarget(target);
            project.executeTarget("fails");
        } catch (BuildException e) {
            System.out.println("failed as it should: " + e.getMessage());
        }
        long sum = printer.seen;
        try (JarFile jar = new JarFile(work.resolve("out/small.jar").toFile())) {
            TreeMap<String, Long> entries = new TreeMap<>();
            for (Enumeration<JarEntry> all = jar.entries(); all.hasMoreElements(); ) {
                JarEntry entry = all.nextElement();
                if (entry.getName().endsWith("MANIFEST.MF") || entry.getName().endsWith(".class")) continue;
                try (InputStream in = jar.getInputStream(entry)) {
                    entries.put(entry.getName(), (long) new String(in.readAllBytes()).hashCode());
                }
            }
            sum = sum * 31 + entries.hashCode();
        }
        return sum;
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path path : all) Files.delete(path);
    }
}

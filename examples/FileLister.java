import java.io.File;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists the names in the current folder. Expected: at least one name.
 * Prints [] because the switch that lets addItem run is off: an operation that
 * should have happened is missing, and no wrong value leads back to the defect.
 */
public class FileLister {
    private File folder;
    private List<String> names;
    private List<String> args;
    private boolean active;

    public static void main(String[] args) {
        FileLister lister = new FileLister();
        lister.run(args);
    }

    void run(String[] given) {
        init();
        setArgs(given);
        if (active) {
            addItem();
        }
        printItems();
    }

    void init() {
        folder = new File(".");
        names = new ArrayList<>();
        args = new ArrayList<>();
        active = false; // defect: has to be true
    }

    void setArgs(String[] given) {
        for (int i = 0; i < given.length; i++) {
            args.add(given[i]);
        }
    }

    void addItem() {
        List<String> target = names;
        for (String name : folder.list()) {
            target.add(name);
        }
    }

    void printItems() {
        List<String> source = names;
        System.out.println(source);
    }

    /** For callers outside of this class; nobody calls it here. */
    void addNewItem(String name) {
        names.add(name);
    }
}

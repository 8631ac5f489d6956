package transit;

/** Where one gets on and off; changing trains takes some minutes there. */
public record Stop(String name, int zone, int changeMinutes) {
    @Override
    public String toString() {
        return name;
    }
}

package transit;

/** Who travels. */
public record Passenger(int age, boolean hasCard) {
    public boolean isChild() {
        return age >= 6 && age < 15;
    }

    public boolean isInfant() {
        return age < 6;
    }
}

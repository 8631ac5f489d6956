package shop.store;

/** Who buys. Goods may go elsewhere than the bill. */
public class Customer {
    private final String id;
    private final String group;
    private final Address billing;
    private final Address delivery;
    private int points;

    public Customer(String id, String group, Address billing, Address delivery) {
        this.id = id;
        this.group = group;
        this.billing = billing;
        this.delivery = delivery;
    }

    public String id() {
        return id;
    }

    public String group() {
        return group;
    }

    public Address billing() {
        return billing;
    }

    public Address delivery() {
        return delivery;
    }

    public int points() {
        return points;
    }

    public void addPoints(int earned) {
        points += earned;
    }
}

package shop.store;

public record Address(String name, String street, String city, String country) {}

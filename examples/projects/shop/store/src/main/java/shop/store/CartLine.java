package shop.store;

/** So many pieces of a product in a cart. */
public record CartLine(String sku, int quantity) {}

package shop.pricing;

/** How a product is taxed. */
public enum TaxClass {
    STANDARD,
    REDUCED,
    EXEMPT
}

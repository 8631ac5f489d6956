package shop.store;

import shop.pricing.TaxClass;

public record Product(String sku, String name, TaxClass taxClass) {}

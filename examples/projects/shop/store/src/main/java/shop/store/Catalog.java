package shop.store;

import java.util.LinkedHashMap;
import java.util.Map;

/** The products on sale. */
public class Catalog {
    private final Map<String, Product> products = new LinkedHashMap<>();

    public Catalog add(Product product) {
        products.put(product.sku(), product);
        return this;
    }

    public Product get(String sku) {
        Product product = products.get(sku);
        if (product == null) {
            throw new IllegalArgumentException("no such product: " + sku);
        }
        return product;
    }
}

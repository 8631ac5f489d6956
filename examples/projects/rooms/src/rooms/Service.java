package rooms;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The bookings of a house's rooms over HTTP. */
public class Service implements AutoCloseable {
    private final Requests requests;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    public Service(Rooms rooms, int port) throws IOException {
        requests = new Requests(rooms, new Calendar());
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        server.createContext("/", this::handle);
        server.setExecutor(threads);
    }

    public Service start() {
        server.start();
        return this;
    }

    public int port() {
        return server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Answer answer = requests.answer(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), query(exchange));
            byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    /** A form if there is one, else what is in the address. */
    private static Query query(HttpExchange exchange) throws IOException {
        try (InputStream in = exchange.getRequestBody()) {
            String form = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Query(form.isEmpty() ? exchange.getRequestURI().getRawQuery() : form);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }

    public static void main(String[] args) throws IOException {
        Rooms rooms = new Rooms()
                .add(new Room("r1", "Red Room", 4, false))
                .add(new Room("hall", "Great Hall", 60, true));
        Service service = new Service(rooms, Integer.parseInt(args[0])).start();
        System.out.println("http://localhost:" + service.port());
    }
}

package transit;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class FaresTest {
    private static final Passenger ADULT = new Passenger(34, false);
    private static final Passenger CARD = new Passenger(34, true);
    private static final Passenger CHILD = new Passenger(14, false);
    private static final Passenger INFANT = new Passenger(5, false);

    private final Network network = new Network();
    private final Fares fares = new Fares();

    @Test
    public void zonesAreCountedOnce() {
        assertEquals(240, fares.single(to(network.market), ADULT));
        assertEquals(330, fares.single(to(network.university), ADULT));
        assertEquals(480, fares.single(to(network.lake), ADULT));
    }

    @Test
    public void reducedFares() {
        Journey journey = to(network.university);
        assertEquals(330, fares.single(journey, ADULT));
        assertEquals(250, fares.single(journey, CARD));
        assertEquals(170, fares.single(journey, CHILD));
        assertEquals(0, fares.single(journey, INFANT));
    }

    @Test
    public void smallGroupsPayForThemselves() {
        assertEquals(240 + 120, fares.group(to(network.market), Arrays.asList(CHILD, ADULT)));
    }

    @Test
    public void largeGroupsTakeADayTicket() {
        List<Passenger> class7 = Collections.nCopies(4, CHILD);
        assertEquals(4 * 240, fares.group(to(network.lake), class7));
        List<Passenger> family = Arrays.asList(CHILD, ADULT, ADULT, ADULT, ADULT, CHILD, INFANT);
        assertEquals(1690 + 240, fares.group(to(network.lake), family));
    }

    private Journey to(Stop stop) {
        return network.planner.earliest(network.harbour, stop, Network.MONDAY, "08:00");
    }
}

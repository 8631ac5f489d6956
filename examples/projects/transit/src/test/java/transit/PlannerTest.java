package transit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNull;

import java.util.Arrays;
import org.junit.Test;

public class PlannerTest {
    private final Network network = new Network();

    @Test
    public void stayingOnATrainIsNoChange() {
        Journey journey = network.planner.earliest(network.harbour, network.university, Network.MONDAY, "08:00");
        assertEquals(Arrays.asList("U1 Harbour 08:00 - University 08:12"), journey.describe());
        assertEquals(0, journey.changes());
    }

    @Test
    public void theExpressIsFasterWhenOneCatchesIt() {
        Journey journey = network.planner.earliest(network.harbour, network.airport, Network.MONDAY, "08:00");
        assertEquals(Arrays.asList("U1 Harbour 08:00 - Market 08:06", "X7 Market 08:10 - Airport 08:22"), journey.describe());
        assertEquals(22, journey.minutes());
    }

    @Test
    public void onSundaysThereIsNoExpress() {
        Journey journey = network.planner.earliest(network.harbour, network.airport, Network.SUNDAY, "08:00");
        assertEquals("08:26", Clock.text(journey.arrives()));
    }

    @Test
    public void changingTakesTime() {
        Journey journey = network.planner.earliest(network.zoo, network.airport, Network.MONDAY, "08:00");
        assertEquals(Arrays.asList("U2 Zoo 08:00 - Market 08:07", "U1 Market 08:17 - Airport 08:36"), journey.describe());
    }

    @Test
    public void aJourneyWithTwoChanges() {
        Journey journey = network.planner.earliest(network.airport, network.lake, Network.MONDAY, "08:00");
        assertNull(journey);
        journey = network.planner.earliest(network.harbour, network.lake, Network.MONDAY, "08:31");
        assertEquals(Arrays.asList("U1 Harbour 08:40 - University 08:52", "B3 University 09:05 - Lake 09:30"), journey.describe());
        assertEquals("[1, 2, 4]", journey.zones().toString());
    }

    @Test
    public void theLastTrain() {
        Journey journey = network.planner.earliest(network.harbour, network.university, Network.MONDAY, "23:25");
        assertEquals("23:42", Clock.text(journey.arrives()));
        assertNull(network.planner.earliest(network.harbour, network.university, Network.MONDAY, "23:31"));
    }
}

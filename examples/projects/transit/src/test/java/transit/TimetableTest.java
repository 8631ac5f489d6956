package transit;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class TimetableTest {
    private final Network network = new Network();

    @Test
    public void departuresAreInOrder() {
        assertEquals("[U1 Market 08:07 - University 08:12, U2 Market 08:08 - Harbour 08:17, X7 Market 08:10 - Airport 08:22]",
                network.timetable.departures(network.market, Network.MONDAY, "08:05", 3).toString());
    }

    @Test
    public void onAHolidayThereIsNoBus() {
        assertEquals(1, network.timetable.departures(network.university, Network.MONDAY, "19:05", 9).stream()
                .filter(hop -> hop.trip().line().equals("B3")).count());
        assertEquals(0, network.timetable.departures(network.university, Network.HOLIDAY, "07:00", 999).stream()
                .filter(hop -> hop.trip().line().equals("B3")).count());
    }

    @Test
    public void moreTripsMayComeLater() {
        assertEquals(0, network.timetable.departures(network.lake, Network.MONDAY, "05:00", 9).size());
        network.timetable.add(new Line("B3", network.lake).to(network.zoo, 17, 0).every(60, "09:00", "11:00", Days.daily()));
        assertEquals(3, network.timetable.departures(network.lake, Network.MONDAY, "05:00", 9).size());
    }

    @Test
    public void exceptionsGoBeforeWeekdays() {
        Days days = Days.workdays().except(Network.MONDAY).alsoOn(Network.SUNDAY);
        assertFalse(days.contains(Network.MONDAY));
        assertTrue(days.contains(Network.SUNDAY));
        assertTrue(days.contains(Network.HOLIDAY));
    }
}

package transit;

import java.time.LocalDate;

/** Two lines that cross, and a bus. */
class Network {
    static final LocalDate MONDAY = LocalDate.of(2026, 3, 16);
    static final LocalDate SUNDAY = LocalDate.of(2026, 3, 15);
    static final LocalDate HOLIDAY = LocalDate.of(2026, 4, 6);

    final Timetable timetable = new Timetable();
    final Stop harbour = timetable.stop("Harbour", 1, 2);
    final Stop market = timetable.stop("Market", 1, 4);
    final Stop university = timetable.stop("University", 2, 2);
    final Stop airport = timetable.stop("Airport", 3, 5);
    final Stop zoo = timetable.stop("Zoo", 2, 1);
    final Stop lake = timetable.stop("Lake", 4, 1);
    final Planner planner = new Planner(timetable);

    Network() {
        Days workdays = Days.workdays().except(HOLIDAY);
        timetable.add(new Line("U1", harbour).to(market, 6, 1).to(university, 5, 0).to(airport, 14, 0).every(10, "05:30", "23:30", Days.daily()));
        timetable.add(new Line("U2", zoo).to(market, 7, 1).to(harbour, 9, 0).every(15, "06:00", "22:00", Days.daily()));
        timetable.add(new Line("X7", market).to(airport, 12, 0).every(30, "06:10", "20:10", workdays));
        timetable.add(new Line("B3", university).to(zoo, 8, 1).to(lake, 16, 0).every(20, "07:05", "19:05", workdays));
    }
}

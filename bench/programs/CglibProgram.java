import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import net.sf.cglib.beans.BeanCopier;
import net.sf.cglib.beans.BeanGenerator;
import net.sf.cglib.beans.BeanMap;
import net.sf.cglib.core.KeyFactory;
import net.sf.cglib.proxy.Callback;
import net.sf.cglib.proxy.Enhancer;
import net.sf.cglib.proxy.FixedValue;
import net.sf.cglib.proxy.MethodInterceptor;
import net.sf.cglib.proxy.NoOp;
import net.sf.cglib.reflect.FastClass;
import net.sf.cglib.reflect.FastMethod;

/** cglib: makes proxy and bean classes and calls through them. Arguments: rounds, each with new classes; the first one; calls of a proxy in each. */
public class CglibProgram {
    public static class Bean {
        private int number;
        private String text = "";
        private long big;

        public int getNumber() {
            return number;
        }

        public void setNumber(int number) {
            this.number = number;
        }

        public String getText() {
            return text;
        }

        public void setText(String text) {
            this.text = text;
        }

        public long getBig() {
            return big;
        }

        public void setBig(long big) {
            this.big = big;
        }

        public int combine(int a, String b) {
            return a * 31 + b.length() + number;
        }
    }

    public interface Key {
        Object newInstance(String name, int number, Class<?> type);
    }

    private static long intercepted;

    public static void main(String[] args) throws Exception {
        int rounds = Integer.parseInt(args[0]);
        int first = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        int size = args.length > 2 ? Integer.parseInt(args[2]) : 200;
        long checksum = 0;
        for (int round = first; round < first + rounds; round++) {
            checksum = checksum * 31 + proxies(round, size);
            checksum = checksum * 31 + beans(round);
        }
        System.out.println("cglib " + checksum + " " + intercepted);
    }

    private static long proxies(int round, int calls) {
        Enhancer enhancer = new Enhancer();
        enhancer.setSuperclass(Bean.class);
        enhancer.setUseCache(false);
        enhancer.setCallbackFilter(method -> method.getName().equals("combine") ? 0 : method.getName().equals("getText") ? 1 : 2);
        enhancer.setCallbacks(new Callback[] {
            (MethodInterceptor) (object, method, arguments, proxy) -> {
                intercepted++;
                return (Integer) proxy.invokeSuper(object, arguments) + method.getName().length();
            },
            (FixedValue) () -> "fixed",
            NoOp.INSTANCE,
        });
        Bean bean = (Bean) enhancer.create();
        long sum = 0;
        for (int i = 0; i < calls; i++) {
            bean.setNumber(i + round);
            int combined = bean.combine(i, bean.getText());
            if (Pages.LINES) System.out.println(Pages.found("combined") + combined);
            sum = sum * 31 + combined;
        }
        return sum;
    }

    private static long beans(int round) throws Exception {
        Bean from = new Bean();
        from.setNumber(round);
        from.setText("round " + round);
        from.setBig(1L << (round % 60));
        Bean to = new Bean();
        BeanCopier.create(Bean.class, Bean.class, false).copy(from, to, null);
        Map<Object, Object> map = new HashMap<>(BeanMap.create(to));
        BeanGenerator generator = new BeanGenerator();
        generator.setUseCache(false);
        generator.addProperty("name", String.class);
        generator.addProperty("count", int.class);
        Object made = generator.create();
        Method setter = made.getClass().getMethod("setName", String.class);
        setter.invoke(made, "made");
        FastClass fast = FastClass.create(Bean.class);
        FastMethod combine = fast.getMethod("combine", new Class<?>[] {int.class, String.class});
        long sum = map.get("text").hashCode() + (long) map.get("big");
        if (Pages.LINES) System.out.println(Pages.found("bean") + map.get("text") + " " + map.get("big"));
        for (int i = 0; i < 50; i++) {
            int fastest = (int) combine.invoke(to, new Object[] {i, "fast"});
            if (Pages.LINES) System.out.println(Pages.found("fast") + fastest);
            sum += fastest;
        }
        Key key = (Key) KeyFactory.create(Key.class);
        Object a = key.newInstance("a", round, Bean.class);
        boolean equal = a.equals(key.newInstance("a", round, Bean.class));
        if (Pages.LINES) System.out.println(Pages.found("equal") + equal);
        return sum + (equal ? 1 : 0);
    }
}

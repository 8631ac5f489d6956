import java.util.function.IntUnaryOperator;
import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtField;
import javassist.CtMethod;
import javassist.CtNewConstructor;
import javassist.CtNewMethod;
import javassist.expr.ExprEditor;
import javassist.expr.MethodCall;

/** javassist: compiles methods from source, edits them, loads and runs the classes. Arguments: classes, the first one. */
public class JavassistProgram {
    public static void main(String[] args) throws Exception {
        int classes = Integer.parseInt(args[0]);
        int first = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        ClassPool pool = new ClassPool(true);
        long checksum = 0;
        for (int n = first; n < first + classes; n++) {
            CtClass made = pool.makeClass("Made" + n);
            made.addInterface(pool.get("java.util.function.IntUnaryOperator"));
            made.addField(CtField.make("private int calls = " + n + ";", made));
            made.addField(CtField.make("private int[] log = new int[16];", made));
            made.addConstructor(CtNewConstructor.defaultConstructor(made));
            made.addMethod(CtNewMethod.make("private int twist(int n) { int r = n; for (int i = 0; i < 8; i++) { r = r * 31 + (i & n); } return r; }", made));
            CtMethod apply = CtNewMethod.make(
                    "public int applyAsInt(int n) { try { log[calls++ & 15] = n; return twist(n) / (n % 5); }"
                            + " catch (ArithmeticException e) { return Math.abs(n) + e.getMessage().length(); } }", made);
            made.addMethod(apply);
            apply.insertBefore("if ($1 < 0) return -1;");
            apply.insertAfter("$_ = $_ ^ calls;");
            apply.instrument(new ExprEditor() {
                @Override
                public void edit(MethodCall call) throws javassist.CannotCompileException {
                    if (call.getMethodName().equals("abs")) call.replace("$_ = $proceed($1) + 1000;");
                }
            });
            CtMethod copy = CtNewMethod.copy(apply, "second", made, null);
            made.addMethod(copy);
            byte[] bytes = made.toBytecode();
            made.defrost();
            Class<?> loaded = made.toClass(JavassistProgram.class);
            IntUnaryOperator op = (IntUnaryOperator) loaded.getDeclaredConstructor().newInstance();
            for (int i = -2; i < 20; i++) {
                int result = op.applyAsInt(i);
                if (Pages.LINES) System.out.println(Pages.found("result") + result);
                checksum = checksum * 31 + result;
            }
            if (Pages.LINES) System.out.println(Pages.found("class") + bytes.length + " " + made.getDeclaredMethods().length);
            checksum += bytes.length + made.getDeclaredMethods().length;
            made.detach();
        }
        System.out.println("javassist " + checksum);
    }
}

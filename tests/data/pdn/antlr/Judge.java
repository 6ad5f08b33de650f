import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.antlr.v4.runtime.*;

/** Prints for each file 0.pdn, 1.pdn, ... of a folder whether the grammar takes it: a line with 1 or 0. */
public class Judge {
    static boolean takes(String text) {
        boolean[] isRefused = {false};
        BaseErrorListener listener = new BaseErrorListener() {
            @Override
            public void syntaxError(Recognizer<?, ?> by, Object at, int line, int column, String what, RecognitionException e) {
                isRefused[0] = true;
            }
        };
        PdnLexer lexer = new PdnLexer(CharStreams.fromString(text));
        lexer.removeErrorListeners();
        lexer.addErrorListener(listener);
        PdnParser parser = new PdnParser(new CommonTokenStream(lexer));
        parser.removeErrorListeners();
        parser.addErrorListener(listener);
        parser.file();
        return !isRefused[0];
    }

    public static void main(String[] arguments) throws Exception {
        for (int index = 0; ; index++) {
            Path path = Path.of(arguments[0], index + ".pdn");
            if (!Files.exists(path)) return;
            System.out.println(takes(new String(Files.readAllBytes(path), StandardCharsets.UTF_8)) ? 1 : 0);
        }
    }
}

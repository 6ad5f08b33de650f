// The writing grammar of PDN 3.0 (the standard, chapter "PDN Grammars"), with its corrections: squares up to l12, the capture
// signs of all game types.
grammar Pdn;
file : game (ASTERISK game)* ASTERISK? EOF ;
game : header body? | body ;
header : tag+ ;
body : (gameMove | variation | COMMENT | SETUP | NAG)+ ;
tag : LBRACKET IDENTIFIER STRING RBRACKET ;
gameMove : MOVENUMBER? move MOVESTRENGTH? ;
variation : LPAREN body RPAREN ;
move : square MOVESEPARATOR square | square (CAPTURESEPARATOR square)+ ;
square : ALPHASQUARE | NUMSQUARE ;
MOVENUMBER : [0-9]+ '.' ('..')? ;
MOVESEPARATOR : '-' ;
CAPTURESEPARATOR : 'x' | ':' ;
ALPHASQUARE : [a-l] ('1' [0-2] | [1-9]) ;
NUMSQUARE : [1-9] [0-9]? ;
MOVESTRENGTH : [!?]+ | '(' [!?]+ ')' ;
NAG : '$' [0-9]+ ;
LPAREN : '(' ; RPAREN : ')' ; LBRACKET : '[' ; RBRACKET : ']' ; ASTERISK : '*' ;
SETUP : '/' ~[/]* '/' ;
STRING : '"' (~["] | '\\"')* '"' ;
COMMENT : '{' ~[}]* '}' ;
IDENTIFIER : [A-Z] [a-zA-Z0-9_]* ;
WS : ([ \t\n\r] | '%' ~[\n\r]*)+ -> skip ;

"""The records of JavaScript, TypeScript and TSX: one family, which TypeScript 7 checks."""

from dataclasses import replace
from types import MappingProxyType

from context_index.languages.record import CheckerTraits, LanguageRecord, Lexis, StringForm

JAVASCRIPT = LanguageRecord(
    name="javascript",
    family="ecmascript",
    title="JavaScript",
    folder=__name__,
    parts=frozenset({
        "checker", "exports", "imports", "libraries", "mentions", "module_kind", "modules", "own_parser", "scopes",
        "tokens", "written_types",
    }),
    suffixes=(".js", ".jsx", ".mjs", ".cjs"),
    file_types={"javascript": "", "javascriptreact": ".jsx"},
    parser=("tree_sitter_javascript", "language"),
    lexis=Lexis(
        strings=MappingProxyType({
            "'": StringForm(), '"': StringForm(), "`": StringForm(has_lines=True, hole="${"),
        }),
        has_regexes=True,
        before_operand=frozenset({
            "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "await", "yield", "else", "do",
            "instanceof", "default", "extends",
        }),
        members=frozenset({".", "?."}),
        declares=frozenset({
            "let", "const", "var", "function", "class", "interface", "enum", "namespace", "infer", "import",
        }),
        has_object_literals=True,
        heads_of_class=frozenset({"class", "interface", "enum"}),
    ),
    highlighting="jsx",
    statement="throw x;",
    has_types=False,
    is_declared_by_stubs=True,
    has_jsx=True,
    is_checked_on_request=True,
    has_module_systems=True,
    has_default_exports=True,
    has_ambient_names=True,
    globals=("dom", "node", "ecmascript"),
    always=frozenset({"arguments", "undefined", "bigint", "intrinsic", "const"}),
    checker=CheckerTraits(
        title="typescript",
        advice="Run 'inscope setup', and name no other TypeScript in the settings.",
        is_installed_by_setup=True,
        anything="0 as any",
        witness=("NaN", "number"),
        list_opening="void [",
        reports_missing_arguments=True,
    ),
    is_in_notebooks=True,
    binding="const {name} = 0;",
    specifiers_are_paths=True,
    annotations=("string", "number", "boolean"),
    assignment="((/** @type {{{kind}}} */ _) => 0)({path})",
    own_names=frozenset({"__proto__", "constructor", "then", "toJSON"}),
    function_name=(";(() => {}).", "name"),
    prompt_marker="<|lang_js|>",
)  # fmt: skip
TYPESCRIPT = replace(
    JAVASCRIPT,
    name="typescript",
    title="TypeScript",
    suffixes=(".ts", ".mts", ".cts"),
    stubs=(".d.ts", ".d.mts", ".d.cts"),
    is_declared_by_stubs=False,
    file_types={"typescript": ""},
    parser=("tree_sitter_typescript", "language_typescript"),
    highlighting="typescript",
    has_types=True,
    type_name="type_identifier",
    type_word="predefined_type",
    annotated="let _: {type};",
    has_jsx=False,
    is_checked_on_request=False,
    has_module_systems=False,
    assignment="((_: {kind}) => 0)({path})",
)
TSX = replace(
    TYPESCRIPT,
    name="tsx",
    suffixes=(".tsx",),
    is_in_notebooks=False,
    file_types={"typescriptreact": ""},
    parser=("tree_sitter_typescript", "language_tsx"),
    highlighting="tsx",
    has_jsx=True,
)

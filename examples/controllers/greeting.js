// Forces how a text begins: {"text": "greet("}. The syntax and the names in scope must allow it.

const wanted = params.text ?? "";

export const step = ({ text }) => (text === "" ? { force: wanted } : {});

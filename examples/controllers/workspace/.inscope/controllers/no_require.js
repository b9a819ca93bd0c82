// The workspace's own rule: modules are imported, never required.

export const step = ({ text, candidates }) => ({
  ban: candidates.filter((one) => /\brequire\b/.test(text + one.text)).map((one) => one.id),
});

/** The output of a tool without a built-in rule, before a compiler error. */
export const BAKER_LOG = "baking\nBAKE-17 Maps/Sky.map: no lightmap\nmain.cpp:3:7: error: expected ';' before 'x'\n"

/** An account's own rule for it. */
export const bakerRule = {
  id: 'baker.missing-lightmap',
  tool: 'Baker',
  category: 'cook_asset_error',
  role: 'root',
  need: ['BAKE-'],
  match: '^BAKE-\\d+ (?<file>\\S+): (?<msg>.*)',
  score: 95,
  examples: [{ log: BAKER_LOG, line: 2 }],
}

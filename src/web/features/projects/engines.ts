/** What a project can be made with, for choosing one. */
export const ENGINES = [
  ['unreal', 'Unreal Engine'],
  ['unity', 'Unity'],
  ['godot', 'Godot'],
  ['custom', 'Other'],
] as const

import { Dialog } from '../ui/form/dialog.tsx'
import { PROJECT_PAGES } from './navigation.ts'

/** Every key that a page listens to, by page; `keys-help.test.ts` fails if one of a new page is missing. */
const KEYS: readonly (readonly [where: string, keys: readonly (readonly [key: string, does: string])[]])[] = [
  [
    'Anywhere',
    [
      ['Ctrl K', 'search and run commands'],
      ['?', 'this list'],
      ['z', 'undo the last action'],
      ['g i', 'inbox'],
      ['g f', 'feed'],
    ],
  ],
  ['In a project', PROJECT_PAGES.flatMap(([, label, , key]) => (key ? [[`g ${key}`, label.toLowerCase()] as const] : []))],
  [
    'Lists: inbox, approvals',
    [
      ['j', 'next'],
      ['k', 'previous'],
      ['Enter', 'open'],
      ['e', 'mark as read or unread'],
      ['x', 'select'],
      ['Escape', 'clear selection'],
    ],
  ],
  [
    'Assets and approvals',
    [
      ['a', 'approve'],
      ['d', 'deny'],
      ['i', 'ignore'],
      ['c', 'comment'],
      ['J', 'select to the next'],
      ['K', 'select to the previous'],
      ['ArrowRight', 'next'],
      ['ArrowLeft', 'previous'],
      ['ArrowDown', 'row below'],
      ['ArrowUp', 'row above'],
    ],
  ],
  [
    'An asset’s preview',
    [
      ['f', 'full screen'],
      ['[', 'older version'],
      [']', 'newer version'],
      ['v', 'single version'],
      ['s', 'side by side'],
      ['w', 'swipe'],
      ['x', 'difference'],
      ['+', 'zoom in'],
      ['-', 'zoom out'],
      ['0', 'fit'],
      ['1', 'actual size'],
      ['p', 'add point'],
      ['k', 'play or pause'],
      [',', 'previous frame'],
      ['.', 'next frame'],
      ['l', 'loop'],
    ],
  ],
  ['Tasks', [['c', 'new task']]],
  [
    'A build’s log',
    [
      ['/', 'search'],
      ['e', 'next error'],
    ],
  ],
]

/** Keys whose name is not what is on them. */
const SHOWN: Record<string, string> = {
  J: 'Shift J',
  K: 'Shift K',
  ArrowRight: '→',
  ArrowLeft: '←',
  ArrowDown: '↓',
  ArrowUp: '↑',
}

export const KeysHelp = ({ open, onClose }: { open: boolean; onClose(): void }) => (
  <Dialog title="Keyboard shortcuts" open={open} onClose={onClose}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard */}
    <section tabIndex={0} aria-label="All keys" className="grid max-h-[60vh] gap-4 overflow-y-auto sm:grid-cols-2">
      {KEYS.map(([where, keys]) => (
        <section key={where}>
          <h3 className="mb-1 text-xs font-medium text-faint">{where}</h3>
          <dl className="grid gap-1 text-sm">
            {keys.map(([key, does]) => (
              <div key={key} className="flex items-baseline justify-between gap-3">
                <dd>{does}</dd>
                <dt className="flex gap-1">
                  {(SHOWN[key] ?? key).split(' ').map((each) => (
                    <kbd key={each} className="rounded border border-line px-1.5 text-xs">
                      {each}
                    </kbd>
                  ))}
                </dt>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </section>
  </Dialog>
)

import type { Game } from '../game.ts'

/** Two flaky tests of which one is in quarantine, a fixed regression and a new failure. */
export const tests: Game['tests'] = {
  job: 'cinder-functional-tests',
  platform: 'Win64',
  rhi: 'D3D12',
  suites: [
    ['Cinder.Boot', ['Main menu opens', 'Intro can be skipped', 'Settings survive a restart']],
    ['Cinder.Movement', ['Walks up stairs', 'Jumps over a gap', 'Climbs a ladder', 'Falls without damage from 2 m']],
    [
      'Cinder.Combat',
      ['Parry staggers the enemy', 'Arrow hits a moving target', 'Fire spreads to dry grass', 'Boss enters phase two'],
    ],
    ['Cinder.Save', ['Autosave at a campfire', 'Loads a save of 0.8', 'Keeps quest items']],
    ['Cinder.Net', ['Second player joins', 'Host migration', 'Reconnects after 30 s']],
    ['Cinder.Rendering', ['Fog matches the reference', 'Night sky matches the reference']],
  ],
  failureOf(test, age) {
    if (test === 'Host migration' && age % 6 === 2) return 'Timed out after 30000 ms waiting for the new host'
    if (test === 'Second player joins' && age % 11 === 4) return `Timed out after ${20 + age} s waiting for a session`
    if (test === 'Boss enters phase two' && age >= 5 && age < 9) return 'Expected phase 2, got phase 1'
    if (test === 'Fog matches the reference' && age < 2) return 'Image differs by 3.1 % (allowed 0.5 %)'
    return undefined
  },
  retried: 'Cinder.Net',
  quarantined: { test: 'Second player joins', reason: 'The session server of the test farm is overloaded' },
}

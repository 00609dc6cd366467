import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { withPrecision } from './precision.ts'
import { distributedForm, distributedOver } from './statement.ts'

const TABLES = new Set(['builds', 'changes'])
const formOf = (text: string, count = 1) => distributedForm(text, count, TABLES).text
const own = (table: string, account = 2) => `(select * from ${table} where account_id = $${account}::integer)`

describe('a statement about one account', () => {
  test('reads only the rows of its account from each distributed table', () => {
    expect(
      formOf('select (select count(*) from changes c where c.account_id = b.account_id) from builds b where b.account_id = $1'),
    ).toBe(
      `select (select count(*) from ${own('changes')} c where c.account_id = b.account_id) from ${own('builds')} b where b.account_id = $1`,
    )
    expect(formOf('select 1 from users u join builds as b on true, changes c, lateral (select 1) x')).toBe(
      `select 1 from users u join ${own('builds')} b on true, ${own('changes')} c, lateral (select 1) x`,
    )
  })

  test('reads a table that is joined to one without an alias', () => {
    expect(formOf('with c as (select 1) select 1 from c join builds b on true left join changes on true')).toBe(
      `with c as (select 1) select 1 from c join ${own('builds')} b on true left join ${own('changes')} changes on true`,
    )
  })

  test('reads a table that says which rows are deleted', () => {
    expect(formOf('delete from users u using builds b where b.id = u.id')).toBe(
      `delete from users u using ${own('builds')} b where b.id = u.id`,
    )
  })

  test('reads a table after a list of columns, and in a common table that is stored', () => {
    const text = (builds: string, changes: string) =>
      `with a as materialized (select 1 from users u, ${builds} b) select 1 from f($2) as t (id bigint, builds jsonb), ${changes} c`
    expect(formOf(text('builds', 'changes'))).toBe(text(own('builds'), own('changes')))
  })

  test('keeps the name of a table without an alias', () => {
    expect(formOf('select 1 from builds where builds.id = 1')).toBe(`select 1 from ${own('builds')} builds where builds.id = 1`)
    expect(formOf('select 1 from (select 1 from builds) x')).toBe(`select 1 from (select 1 from ${own('builds')} builds) x`)
    expect(formOf('select 1 from builds for update')).toBe(`select 1 from ${own('builds')} builds for update`)
  })

  test('can name rows by their place', () => {
    expect(formOf('delete from builds where account_id = $1 and ctid = any (array(select ctid from builds limit 5))')).toBe(
      `delete from builds where account_id = $1 and ctid = any (array(select ctid from ${own('builds').replace('*', 'ctid, *')} builds limit 5))`,
    )
  })

  test('has a select instead of values with a subquery', () => {
    expect(formOf("insert into users (a, b) values (1, (select ')' from x)) on conflict do nothing")).toBe(
      "insert into users (a, b) select 1, (select ')' from x) on conflict do nothing",
    )
    expect(
      formOf('with a as (insert into x (a) values (array( select 1 from b))) insert into y as z (a) values ((select 2))'),
    ).toBe('with a as (insert into x (a) select array( select 1 from b)) insert into y as z (a) select (select 2)')
    for (const text of ['insert into x (a) values (1), ((select 2))', 'insert into x (a) values ((1))'])
      expect(formOf(text)).toBe(text)
  })

  test('names the table whose new rows it returns', () => {
    expect(formOf('insert into builds (account_id) select id from users returning id')).toBe(
      'insert into builds as builds (account_id) select id from users returning id',
    )
    const named = 'insert into builds as b (account_id) select id from users returning b.id'
    for (const text of [named, 'insert into builds (account_id) select id from users']) expect(formOf(text)).toBe(text)
  })

  test.each([
    'delete from builds b where b.account_id = $1',
    'update builds b set status = 1 where b.account_id = $1',
    'insert into builds (account_id) values ($1)',
    'with builds as (select 1) select 1 from builds',
    'with builds (id) as materialized (select 1) select 1 from builds',
    'with builds as not materialized (select 1) select 1 from builds',
    'select a, changes, builds as b from users',
    'select 1 from users where x is distinct from changes',
    'select extract(epoch from builds.at), max(x) from users',
    'select 1 from jsonb_to_recordset($1) as t (id bigint, builds jsonb, names text[], changes integer)',
  ])('leaves what is no table that is read: %s', (text) => {
    expect(formOf(text)).toBe(text)
  })

  test('is limited only if all accounts that it names are the same', async () => {
    const text = 'select 1 from builds b where b.account_id = $1 and b.other_account_id = $2 and account_id = $2'
    expect(await written(text, [7, 7])).toContain("from (select * from builds where account_id = '7'::integer) b")
    expect(await written(text, [7, 8])).toBe(
      "select 1 from builds b where b.account_id = '7' and b.other_account_id = '8' and account_id = '8'",
    )
    expect(await written(text, [7, 7], 8)).not.toContain('select *')
    expect(await written('select 1 from builds', [], 8)).toContain("account_id = '8'")
    expect(await written('select 1 from builds', [])).toBe('select 1 from builds')
  })
})

test('a statement about all accounts is limited to those whose server answers', async () => {
  const asked: unknown[] = []
  const client = {
    async query(_: string, values: unknown[]) {
      asked.push(values)
      return { rows: [{ id: 7 }, { id: 8 }] }
    },
  } as unknown as pg.Pool
  expect(await distributed.reachableOf('select 1 from builds where id = $1', [5], client, [2])).toBe(
    `select 1 from (select * from builds where account_id = any ('{"7","8"}'::integer[])) builds where id = '5'`,
  )
  expect(asked.at(-1)).toEqual([[7, 8], [2]])
})

const distributed = distributedOver(TABLES)
const written = async (text: string, values: unknown[], account?: number) =>
  distributed.textOf(await distributed.formOf(text, values, account, async (time) => `${time}!`), new pg.Client())

describe('a value', () => {
  test.each([
    [5, "'5'"],
    [-0.5, "'-0.5'"],
    [true, "'true'"],
    [null, 'null'],
    ["it's", "'it''s'"],
    ['a\\b', " E'a\\\\b'"],
    ["'; drop table users; --", "'''; drop table users; --'"],
    ['$1', "'$1'"],
    [Buffer.from('é'), " E'\\\\xc3a9'"],
    [['a"b', 'c,d', null], `' {"a\\\\"b","c,d",null}'`],
    [['a\\b'], `'{"a\\\\\\\\b"}'`],
    [[1, [2]], `'{"1",{"2"}}'`],
    [{ a: 1 }, `'{"a":1}'`],
    [new Date(0), "'1970-01-01T00:00:00.000Z'"],
  ])('%j is written into the text', async (value, literal) => {
    const text = await written('select $1', [value])
    expect(text.replace(/^select ( E)?/, 'select ').replace(/\s/g, '')).toBe(
      `select${literal.replace(/^ E/, '').replace(/\s/g, '')}`,
    )
  })

  test('with NUL is refused like a parameter', async () => {
    await expect(written('select $1', ['a\0b'])).rejects.toMatchObject({ code: '22021' })
  })
})

describe('a statement whose insert reads a common table', () => {
  const TYPES = new Map([
    [20, 'bigint'],
    [25, 'text'],
  ])
  const field = (name: string, dataTypeID: number) => ({ name, dataTypeID }) as pg.FieldDef

  const stepped = async (text: string, answers: [pg.FieldDef[], unknown[][]][]) => {
    const asked: string[] = []
    const client = {
      async query({ text }: { text: string }) {
        asked.push(text.replace(/\s+/g, ' ').trim())
        const [fields, rows] = answers.shift()!
        return { fields, rows }
      },
    } as unknown as pg.Client
    const several = distributedOver(
      TABLES,
      TYPES,
      new Map([
        [
          'builds',
          new Map([
            ['name', 'text'],
            ['number', 'integer'],
          ]),
        ],
      ]),
    )
    const last = await several.textOf(await several.formOf(text, [7], 7, async () => ''), client)
    return [...asked, last.replace(/\s+/g, ' ').trim()]
  }
  const made = (at: string) =>
    `made as not materialized (select r.c0::bigint as "id", r.c1::text as "name" from jsonb_to_recordset(${at}::jsonb) as r (c0 text, c1 text))`

  test('is run in steps, each with the rows of those before it', async () => {
    const rows = ` '[{"c0":"5","c1":"it''s (a"}]'`.trim()
    expect(
      await stepped(
        `with given as (select $1 as id), made as (insert into builds (id, name) select id, ')' from given returning id, name), -- (
        noted as (insert into changes as c (id) select id from made where name <> 'x (select' on conflict do nothing)
        select (select count(*) from made) as n, (select max(id) from made) as id`,
        [
          [[field('id', 20), field('name', 25)], [['5', "it's (a"]]],
          [[], []],
        ],
      ),
    ).toEqual([
      `insert into builds as builds (id, name) with given as not materialized (select '7' as id) select id, ')' from given returning id, name`,
      `insert into changes as c (id) with ${made(rows)} select id from made where name <> 'x (select' on conflict do nothing`,
      `with ${made(rows)} select (select count(*) from made) as n, (select max(id) from made) as id`,
    ])
  })

  const one: [pg.FieldDef[], unknown[][]] = [[field('id', 20)], [['5']]]
  const five = (name: string) =>
    `${name} as not materialized (select r.c0::bigint as "id" from jsonb_to_recordset('[{"c0":"5"}]'::jsonb) as r (c0 text))`

  test.each([
    ['is read once', 'given as (select 5 as id)', 'given', 'given as not materialized (select 5 as id)'],
    ['need not be stored', 'given as not materialized (select 5 as id)', 'given', 'given as not materialized (select 5 as id)'],
    [
      'has a quoted name',
      'given as (select 5 as id, 1 as "a (b")',
      'given',
      'given as not materialized (select 5 as id, 1 as "a (b")',
    ],
  ])('has a part that %s in its text', async (_, table, from, definition) => {
    expect(await stepped(`with ${table} insert into users (id) select id from ${from}`, [])).toEqual([
      `insert into users (id) with ${definition} select id from ${from}`,
    ])
  })

  test.each([
    ['is read twice', 'given as (select 5 as id)', 'given a, given b'],
    ['is stored', 'given as materialized (select 5 as id)', 'given'],
    ['locks rows', 'given as (select id from users for update)', 'given'],
    ['has a comment', 'given as materialized (select 5 as id -- a list (of ids\n)', 'given'],
  ])('asks first for a part that %s', async (_, table, from) => {
    const body = /\((.*)\)/s.exec(table)![1]!.replace(/\s+/g, ' ').trim()
    expect(await stepped(`with ${table} insert into users (id) select id from ${from}`, [one])).toEqual([
      body,
      `insert into users (id) with ${five('given')} select id from ${from}`,
    ])
  })

  test('has parts with common tables of their own, and none of a part that returns nothing', async () => {
    const text = `with given as materialized (select 5 as id),
      found as materialized (with a as (select 1) select id from given),
      noted as (insert into users (id) select id from found)
      select count(*) as noted from found`
    expect(await stepped(text, [one, one, [[], []]])).toEqual([
      'select 5 as id',
      `with ${five('given')}, a as (select 1) select id from given`,
      `insert into users (id) with ${five('found')} select id from found`,
      `with ${five('found')} select count(*) as noted from found`,
    ])
  })

  test('selects rows of the account in a step of its own, so that the coordinator numbers them', async () => {
    const part = "from (select * from changes where account_id = '7'::integer) c where exists (select 1 from users on conflict)"
    const rows = (name: string, value: string) =>
      `${name} (c0, c1) as not materialized (select r.c0::text as "a", r.c1::bigint as "b" from jsonb_to_recordset('[{"c0":"${value}","c1":"5"}]'::jsonb) as r (c0 text, c1 text))`
    const insert = 'insert into builds as builds (name, number)'
    const select = (name: string) => `with ${rows(name, 'x')} select c0::text, c1::integer from ${name}`
    const answer: [pg.FieldDef[], unknown[][]] = [[field('a', 25), field('b', 20)], [['x', '5']]]
    const text = `insert into builds (name, number) select 'x' as a, c.id as b from changes c where exists (select from users on conflict)`
    expect(await stepped(`${text} on conflict do nothing returning id`, [answer])).toEqual([
      `select 'x' as a, c.id as b ${part}`,
      `${insert} ${select('new_builds_0')} on conflict do nothing returning id`,
    ])
    expect(
      await stepped(`with made as (${text} returning id) select id from made`, [answer, [[field('id', 20)], [['9']]]]),
    ).toEqual([
      `select 'x' as a, c.id as b ${part}`,
      `${insert} ${select('new_builds_0')} returning id`,
      `with made as not materialized (select r.c0::bigint as "id" from jsonb_to_recordset('[{"c0":"9"}]'::jsonb) as r (c0 text)) select id from made`,
    ])
  })

  test('is sent whole if it is about several accounts', async () => {
    const text = 'with given as materialized (select 1 as id) insert into users (id) select id from given where account_id = $1'
    expect(await written(text, [[8]], 7)).toBe(text.replace('$1', `'{"8"}'`))
  })

  test.each([
    'insert into builds (id, name) select 1, c.name from changes c',
    'insert into changes (name) select c.name from changes c',
    "insert into builds (name) select 'changes' from users",
    'with a as (select 1 as id) update builds b set id = a.id from a where b.account_id = $1',
    'with a as (insert into builds (account_id) values ($1) returning id) select id from a',
    'with recursive a as (select 1 as id) insert into builds select id from a where $1 = 1',
    'insert into builds select id from changes where account_id = $1',
    'with name as (insert into builds (name, account_id) values (1, $1) returning id) select id from name',
  ])('is not: %s', async (text) => {
    expect(await stepped(text, [])).toHaveLength(1)
  })
})

describe('the time in a writing statement', () => {
  test('is a value where it depends on a condition', async () => {
    const text =
      "update users set at = coalesce(at, now() - interval '1 day'), seen = goldmaster_now(), made = now() where id = $1"
    expect(await written(text, [3])).toBe(
      "update users set at = coalesce(at, 'now() - interval ''1 day''!'::timestamptz), seen = 'goldmaster_now()!'::timestamptz, made = 'now()!'::timestamptz where id = '3'",
    )
  })

  test('comes before the account', async () => {
    const text = 'update users set at = coalesce(at, now()) where id = $1 and exists (select 1 from builds)'
    expect(await written(text, [3], 8)).toBe(
      "update users set at = coalesce(at, 'now()!'::timestamptz) where id = '3' and exists (select 1 from (select * from builds where account_id = '8'::integer) builds)",
    )
  })

  test('is a value where it is returned', () => {
    const text = 'insert into users (at) values (least(now(), $1)) returning id, goldmaster_now() as at'
    expect(distributedForm(text, 1, TABLES).times).toEqual(['now()', 'goldmaster_now()'])
  })

  test.each(['update users set at = case when seen then now() end', 'delete from users where at < coalesce(seen, now())'])(
    'is a value in: %s',
    (text) => {
      expect(distributedForm(text, 0, TABLES)).toMatchObject({ text: text.replace('now()', '$1::timestamptz'), times: ['now()'] })
    },
  )

  test('becomes a value in an update that asks the clock', () => {
    expect(distributedForm('update users set at = clock_timestamp() where id = $1', 1, TABLES)).toMatchObject({
      text: 'update users set at = $2::timestamptz where id = $1',
      times: ['clock_timestamp()'],
    })
  })

  test.each([
    'update users set at = now()',
    'insert into users (at) values (clock_timestamp())',
    'select coalesce(at, now()) from users',
  ])('stays elsewhere: %s', (text) => {
    expect(distributedForm(text, 0, TABLES)).toMatchObject({ text, times: [] })
  })
})

describe('a selected time', () => {
  const precise = new Map([
    [
      'builds',
      new Map([
        ['at', 'timestamptz(3)'],
        ['until', 'timestamptz(3)'],
      ]),
    ],
  ])
  test.each([
    [
      'insert into builds as b (id, at) select 1, now() from x on conflict do nothing',
      'insert into builds as b (id, at) select 1, ( now() )::timestamptz(3) from x on conflict do nothing',
    ],
    [
      "with a as (insert into builds (at, id, until) select coalesce(x.at, ','), f(1, 2), null) select 1",
      "with a as (insert into builds (at, id, until) select ( coalesce(x.at, ','))::timestamptz(3), f(1, 2), ( null)::timestamptz(3) ) select 1",
    ],
    [
      'insert into builds (id, at) select a is distinct from b, x.from where true',
      'insert into builds (id, at) select a is distinct from b, ( x.from )::timestamptz(3) where true',
    ],
  ])('%s is rounded like its column', (text, rounded) => {
    expect(withPrecision(text, precise)).toBe(rounded)
  })

  test.each([
    'insert into builds (id, at) values (1, now())',
    'insert into users (id, at) select 1, now()',
    'insert into builds (id, at) select x.* from x',
  ])('%s stays as it is', (text) => {
    expect(withPrecision(text, precise)).toBe(text)
  })
})

import type { ApprovalRule } from '../../contract/routes/approval-rules.ts'
import type { AccountRole, AssetType } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { branchKey } from '../branches/branch-names.ts'
import { reduceAuthor } from '../privacy/authors.ts'
import { asking, rulesIn } from './approval-rules.ts'

const BATCH = 2_000

interface Row {
  id: string
  path: string
  asset_type: AssetType
  size_bytes: number | null
  approval_stage: string
  author: string
  author_role: AccountRole | null
  branches: string[]
  approval_rules: ApprovalRule[] | null
}

/** Requests of a loaded world don't say who changed the file where, and which rule asked: their change and the rules of the project tell. */
export async function describeRequests(db: Database, accountId: number) {
  for (let after = ''; ; ) {
    const rows: Row[] = await db.rows<Row>(sql`
      select p.id, a.path, a.asset_type, a.size_bytes, p.approval_stage, c.author, r.approval_rules,
        (select m.role from account_members m where m.account_id = c.account_id and m.user_id = c.author_user_id) as author_role,
        array(select coalesce(b.told, b.branch) from change_branches b where b.account_id = c.account_id and b.change_id = c.id
          and b.orphaned_at is null order by b.branch) as branches
      from approvals p join assets a on a.account_id = p.account_id and a.id = p.asset_id
      join projects r on r.account_id = p.account_id and r.id = p.project_id
      join changes c on c.account_id = p.account_id and c.project_id = p.project_id and c.identifier = p.commit_sha
      where p.account_id = ${accountId} and p.status = 'pending' and p.rule is null and p.commit_sha <> ''
        and p.id > ${after || '00000000-0000-0000-0000-000000000000'}::uuid
      order by p.id limit ${BATCH}`)
    await describe(db, accountId, rows)
    if (rows.length < BATCH) return
    after = rows.at(-1)!.id
  }
}

const describe = async (db: Database, accountId: number, rows: readonly Row[]) => {
  const described = rows.map((row) => {
    const number = asking(row.approval_rules, row)({ ...row, branches: () => row.branches })
    const rule = number === undefined ? null : rulesIn(row.approval_rules)[number]!
    const stage = rule?.stages?.findIndex(({ name }) => name === row.approval_stage) ?? 0
    return {
      id: row.id,
      rule,
      stage_number: Math.max(0, stage),
      author: reduceAuthor(row.author),
      branch: branchKey(row.branches[0] ?? ''),
    }
  })
  await db.execute(sql`
    update approvals p set rule = nullif(t.rule, 'null'), stage_number = t.stage_number, author = t.author, branch = t.branch
    from jsonb_to_recordset(${JSON.stringify(described)}::jsonb)
      as t (id uuid, rule jsonb, stage_number smallint, author text, branch text)
    where p.account_id = ${accountId} and p.id = t.id`)
}

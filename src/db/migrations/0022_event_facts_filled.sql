-- online
-- Events that were recorded before their facts were, as their records stand now: who listens behind the present still hears of them.

update outbox o set event_type = 'change.submitted', happened_at = s.timestamp, facts = json_build_object('id', s.id::text, 'author', s.author,
  'identifier', s.display_identifier, 'description', left(s.description, 300), 'asset_count', s.asset_count::text)
from changes s where o.kind = 'change' and o.facts is null and s.id = o.row_id::integer and s.orphaned_at is null;

update outbox o set event_type = 'task.state_changed', happened_at = s.updated_at, facts = json_build_object('id', s.id::text, 'state', s.state,
  'title', s.title, 'assignee_handle', s.assignee_handle, 'assignee', s.user_id::text, 'creator', s.created_by_user_id::text)
from tasks s where o.kind = 'task' and o.facts is null and s.id = o.row_id::integer;

update outbox o set event_type = 'deployment.created', happened_at = s.created_at, facts = json_build_object('id', s.number::text,
  'state', s.status, 'platform', s.platform, 'version', s.version, 'branch', s.branch)
from deployments s where o.kind = 'deployment' and o.facts is null and s.id = o.row_id::uuid;

update outbox o set event_type = case s.status when 'failed' then 'build_run.failed' else 'build_run.completed' end, happened_at = s.happened_at,
  facts = json_build_object('id', s.id::text, 'state', s.status, 'job', s.ci_job_name, 'build_number', s.build_number,
    'seconds', s.duration_seconds::text)
from build_runs s where o.kind = 'build' and o.facts is null and s.id = o.row_id::integer
  and s.status in ('completed', 'passed_pending_approval', 'failed');

update outbox o set event_type = case s.status when 'pending' then 'approval.requested' when 'approved' then 'approval.granted'
    when 'denied' then 'approval.denied' else 'approval.ignored' end, happened_at = s.happened_at,
  facts = json_build_object('id', s.id::text, 'state', s.status, 'asset_id', s.asset_id::text, 'asset_name', a.name,
    'stage', s.approval_stage, 'version', s.asset_version::text, 'approver', s.approver_user_id::text)
from approvals s join assets a on a.id = s.asset_id where o.kind = 'approval' and o.facts is null and s.id = o.row_id::uuid;

-- What somebody may do in a project was in two columns, which could be read to mean different things. The API's `role` is derived.
drop trigger project_member_roles on project_members;
drop function project_member_roles();
alter table project_members alter column project_role set default 'approver';
alter table project_members alter column project_role set not null;
alter table project_members drop column role;

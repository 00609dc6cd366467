-- Which tracker items a task names is read off its words when asked, so that no second table has to follow every edit.
drop table task_mentions;

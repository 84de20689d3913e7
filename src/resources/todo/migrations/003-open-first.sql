-- Read backwards it finds open todos first, and the newest of them first. A new todo is its last entry.
DROP INDEX todo_finished;
CREATE INDEX todo_finished ON todo (finished DESC, todo_id);

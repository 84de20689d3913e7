-- By itself the index of words merges hundreds of its pages at once, and every request waits. The room merges it in small steps.
INSERT INTO member_gram (member_gram, rank) VALUES ('automerge', 0), ('crisismerge', 256);

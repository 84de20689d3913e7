import { type Foreign, reportHeadings } from '#core/foreign.ts'

/** What other programs call the fields of a todo. */
export const foreignTodo: Foreign = {
  todoTitle: {
    words:
      'title, todo, task, subject, タイトル, 件名, やること, タスク, Aufgabe, Titel, tâche, titre, tarea, título',
  },
  finished: { words: 'done, completed, 完了, 済, erledigt, fertig, terminé, fait, hecho, terminada' },
  '': { words: reportHeadings },
}

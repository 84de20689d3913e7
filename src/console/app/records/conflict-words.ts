import { textsIn } from '#console/app/words/index.ts'

const en = {
  title: 'Somebody else changed this record',
  text: (time: string) =>
    `It was saved at ${time} while you were editing. Choose which value to keep for each field that both of you changed.`,
  field: 'Field',
  yours: 'Yours',
  choice: (field: string, side: string) => `${field}, ${side}:`,
  theirs: 'Stored now',
  keep: 'Save my choice',
  alsoMine: (fields: readonly string[]) => `Your other changes are saved as well: ${fields.join(', ')}.`,
  alsoTheirs: (fields: readonly string[]) => `Their other changes stay: ${fields.join(', ')}.`,
  discard: 'Discard all my changes',
}

const ja: typeof en = {
  title: 'ほかの人がこの記録を変更しました',
  text: (time) =>
    `編集している間に ${time} に保存されました。双方が変更した項目について、どちらの値にするか選んでください。`,
  field: '項目',
  yours: 'あなたの値',
  choice: (field, side) => `${field}、${side}：`,
  theirs: '現在の値',
  keep: '選んだ値で保存',
  alsoMine: (fields) => `あなたのほかの変更も保存されます：${fields.join('、')}。`,
  alsoTheirs: (fields) => `その人のほかの変更はそのまま残ります：${fields.join('、')}。`,
  discard: '自分の変更をすべて破棄',
}

/** The texts of the dialog of two versions, which are loaded with it. */
export const useConflictWords = textsIn({ en, ja })

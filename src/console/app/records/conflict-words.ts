import { textsIn } from '#console/app/words/texts.ts'

export const useConflictWords = textsIn({
  title: ['Somebody else changed this record', 'ほかの人がこの記録を変更しました'],
  text: (time: string) => `
    It was saved at ${time} while you were editing. Choose which value to keep for each field that both of you changed.
    編集している間に ${time} に保存されました。双方が変更した項目について、どちらの値にするか選んでください。`,
  field: ['Field', '項目'],
  yours: ['Yours', 'あなたの値'],
  choice: (field: string, side: string) => [`${field}, ${side}:`, `${field}、${side}：`],
  theirs: ['Stored now', '現在の値'],
  keep: ['Save my choice', '選んだ値で保存'],
  alsoMine: (fields: readonly string[]) => `Your other changes are saved as well: ${fields.join(', ')}.
    あなたのほかの変更も保存されます：${fields.join('、')}。`,
  alsoTheirs: (fields: readonly string[]) => `Their other changes stay: ${fields.join(', ')}.
    その人のほかの変更はそのまま残ります：${fields.join('、')}。`,
  discard: ['Discard all my changes', '自分の変更をすべて破棄'],
})

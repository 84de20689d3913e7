import { errorTable } from '#core/error-table.ts'
import { refused } from '#core/problem.ts'

export const importCodes = { importState: 'e.xx.im.8001' } as const

export const importErrors = errorTable({
  [importCodes.importState]: {
    en: `This cannot be done with an import that is "{state}".
      The import is not in a state that allows this request.
      The import is still being read or applied, it was already applied or undone, or its file could not be read.
      Wait until the import is "ready", stop it first, or send the file again.`,
    ja: `状態が「{state}」のインポートには実行できません。
      インポートはこの操作を許す状態ではありません。
      読み取り中または適用中か、すでに適用または取り消されたか、ファイルを読み取れませんでした。
      「ready」になるまで待つか、先に停止するか、ファイルをもう一度送信してください。`,
  },
  DuplicateRow: {
    en: `Line {line} has the same value: change one of the two values, or remove one of the rows.
      Two rows of the file have a value that only one record may have.
      A row was copied, or two people share a value, for example the same e-mail address in a file without sign ids.
      Correct one of the two rows, or remove it.`,
    ja: `{line}行目と値が重複しています。どちらかの値を変更するか、取り込まないでください。
      一件だけが持てる値が、ファイルの二つの行にあります。
      行がコピーされたか、サインIDのない二人が同じメールアドレスを使っている場合などです。
      どちらかの行を修正するか、除いてください。`,
  },
  SeveralRecords: {
    en: `{count} records have this value: choose another field to match by.
      It is not clear which of several records the row describes.
      The chosen field has the same value in several records.
      Choose another field to match by, such as the id or the sign id.`,
    ja: `この値を持つレコードが{count}件あります。照合に使う別の項目を選択してください。
      どのレコードの行か判別できません。
      照合に使う項目が、既存のレコードの中で一意ではありません。
      IDやサインIDなど、別の項目で照合してください。`,
  },
  ExistingRecord: {
    en: `A record with this value already exists.
      The row describes a record that exists.
      The import refuses rows of existing records.
      Choose to update or to skip existing records.`,
    ja: `この値を持つレコードがすでに存在します。
      既存のレコードについての行です。
      インポートが既存のレコードを拒否する設定になっています。
      既存のレコードを更新するか、飛ばすかを選んでください。`,
  },
  NotImported: {
    en: `An import does not change this field of an existing record.
      The value in the row differs from the value in the record.
      Imports never change credentials and ids of existing records.
      Change the value in the record, or do not import this column.`,
    ja: `既存のレコードのこの項目は、インポートでは変更できません。
      レコードと異なる値が行に書かれています。
      資格情報やIDは個別に変更します。
      レコードで変更するか、この列をインポートしないでください。`,
  },
  OpenDate: {
    en: `The order of day, month and year is not clear: choose how dates are written.
      It is not clear whether the day or the month comes first.
      In no date of the column is one of the two numbers above twelve.
      Choose the order of dates for this import.`,
    ja: `日付の順序が不明です。日付の書き方を選択してください。
      日と月のどちらが先か判別できません。
      この列には、順序がわかる日付（13以上の数）がありません。
      インポートの日付の順序を選択してください。`,
  },
  LostDigits: {
    en: `A spreadsheet has shortened this number: its last digits are lost.
      The value is not the original number.
      A spreadsheet took the value for a number and shortened it to fit a narrow column, and the file was saved in that form.
      Export the file again with this column as text, or correct the value here.`,
    ja: `表計算ソフトで数値が省略され、末尾の桁が失われています。
      元の値ではありません。
      表計算ソフトが数値とみなし、狭い列の表示のまま保存されました。
      この列を文字列にしてファイルを出力し直すか、ここで値を修正してください。`,
  },
  ChangedSince: {
    en: `The record was changed since, so it stays as it is.
      The record was changed after the file was exported, or after the import wrote the record.
      Somebody changed or deleted the record in the meantime, or made records that would be deleted with it.
      Look at the history of the record, and change it by hand if necessary.`,
    ja: `その後変更されたため、そのままです。
      インポートはこのレコードを元に戻せませんでした。
      インポートの後で、レコードが変更または削除されたか、一緒に削除されるレコードが作成されました。
      履歴を確認し、必要なら手で変更してください。`,
  },
})

export const wrongState = (state: string) => refused(importCodes.importState, { state })

import type { Foreign } from '#core/foreign.ts'

/** The names and values that other programs, such as HR systems, use for the fields of a member, in several languages. */
export const foreignMember: Foreign = {
  firstName: {
    words:
      'given name, forename, first, fname, legal first name, 名, 氏名（名）, 下の名前, Vorname, Rufname, prénom, nombre',
  },
  lastName: {
    words:
      'family name, surname, last, lname, sn, legal last name, 姓, 氏, 氏名（姓）, 苗字, 名字, Nachname, Familienname, nom, nom de famille, apellido, apellidos',
  },
  genderCode: {
    words:
      'gender, sex, salutation, 性別, Geschlecht, Geschl., Anrede, sexe, genre, civilité, sexo, género, tratamiento',
    codes: {
      '0': 'unknown, not known, other, diverse, divers, d, x, mx, non-binary, not declared, not specified, not disclosed, prefer not to say, keine Angabe, k.A., 不明, その他, 無回答, 未回答, 回答しない',
      '1': 'm, male, man, men, mr, 男, 男性, 男子, männlich, Mann, Herr, Herrn, h, monsieur, señor, sr, M., homme, masculin, hombre',
      '2': 'f, female, woman, women, mrs, ms, miss, 女, 女性, 女子, w, weiblich, Frau, Fräulein, femme, madame, mme, mlle, señora, sra, féminin, mujer',
    },
  },
  dateOfBirth: {
    words:
      'birth date, birthday, born, born on, dob, 生年月日, 誕生日, Geburtsdatum, Geburtstag, geboren am, geb., geb. am, Gebdat, Geb.-Dat., Geburtsdat., date de naissance, fecha de nacimiento',
  },
  emailAddress: {
    words:
      'email, mail, mail address, work email, メール, メールアドレス, Eメール, 電子メール, E-Mail-Adresse, Mailadresse, courriel, adresse e-mail, correo, correo electrónico',
  },
  telephoneNumber: {
    words:
      'telephone, phone, phone number, tel, mobile, mobile phone, mobile number, cell, cell phone, 電話, 電話番号, 携帯電話, 携帯番号, 携帯, Telefon, Tel.-Nr., Rufnummer, Handy, Handynummer, Mobil, Mobilnummer, Mobiltelefon, Telefonnummer, téléphone, teléfono',
  },
  zipCode: { words: 'zip, postal code, post code, 郵便番号, PLZ, Postleitzahl, code postal, código postal' },
  address: {
    parts:
      'house number, Hausnummer, Hausnr., Adresszusatz, address line 2, Ort, Wohnort, Stadt, city, town, state, county, 都道府県, 市区町村, 丁目・番地, 番地, 建物名, 建物名・部屋番号, ville, ciudad',
    words:
      'home address, street address, street, address line 1, 住所, 現住所, 自宅住所, Adresse, Anschrift, Straße, Straße und Hausnummer, rue, adresse postale, dirección, calle',
  },
  'credential.signId': {
    words:
      'login, login name, login id, user name, user principal name, user id, uid, sAMAccountName, account, サイン ID, ログイン ID, ユーザー名, ユーザー ID, アカウント, Benutzername, Benutzerkennung, Kennung, Anmeldename',
  },
  'credential.password': {
    words: 'initial password, パスワード, 初期パスワード, Passwort, Kennwort, mot de passe, contraseña',
  },
}

/**
 * Prepares a password as libpq and the server do (SASLprep, RFC 4013), so that different ways to type the password give the same
 * text. A password with prohibited characters is used as it is.
 */
export const saslprep = (password: string): string => {
  const prepared = password.replace(mappedToSpace, ' ').replace(mappedToNothing, '').normalize('NFKC')
  return prepared !== password && isAllowed(prepared) ? prepared : password
}

/** The tables C.1.2 and B.1 of RFC 3454. U+200B is in both tables, and libpq turns it into a space. */
const mappedToSpace = /[\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000]/g
const mappedToNothing = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|\u200c|\u200d|\u2060|[\ufe00-\ufe0f]|\ufeff/g

const isAllowed = (text: string): boolean => {
  const characters = Array.from(text)
  const has = (steps: string) => {
    const ranges = rangesOf(steps)
    return characters.some((character) => isWithin(ranges, character.codePointAt(0) ?? 0))
  }
  if (text === '' || has(prohibited)) return false
  if (!rightToLeft.test(text)) return true
  // A text with right-to-left characters must have such characters at both ends, and no left-to-right characters.
  const ends = [characters[0] ?? '', characters.at(-1) ?? '']
  return ends.every((end) => rightToLeft.test(end)) && !has(leftToRight)
}

/** Decodes ranges into boundaries: two per range, its first code and the code after its last. */
const rangesOf = (steps: string): readonly number[] => {
  let boundary = 0
  return steps
    .trim()
    .split(/\s+/)
    .map((step) => {
      boundary += Number.parseInt(step, 36)
      return boundary
    })
}

const isWithin = (ranges: readonly number[], code: number) =>
  ranges.findLastIndex((boundary) => boundary <= code) % 2 === 0

/** Table D.1 of RFC 3454. In the ranges for D.1 and D.2, prohibited codes may be included. */
const rightToLeft =
  /[\u05be\u05c0\u05c3\u05d0-\u05f4\u061b-\u064a\u066d-\u066f\u0671-\u06d5\u06e5\u06e6\u06fa-\u0710\u0712-\u072c\u0780-\u07a5\u07b1\ufb1d\ufb1f-\ufb28\ufb2a-\ufd3d\ufd50-\ufdfc\ufe70-\ufefc]/

/** Tables A.1 (unassigned in Unicode 3.2) and C.1.2 to C.9: the differences between boundaries, in base 36. */
const prohibited = `
  0 w 2n y ao 1 i s 2m 2 1r h 1s 2 e g g 4 2 4 1 3 1 5 7 1 1 1 k 1 18 1 13 9 3r 1 1z 1 12 2 2 6 g x 12 2 7 1
  13 1 2 6 h 1 n 1 a b r 5 5 n 1 e 1 3 1 1 q 5 m a 3h 1 g 2 f 1 e 2 t 3 r 1h 1e 9b 3 1 1h 2 i 2 5 3 p g 3 1 8
  2 2 2 m 1 7 1 1 3 4 2 1 1 7 2 2 2 3 9 1 4 2 1 5 2 l 7 1 2 6 4 2 2 m 1 7 1 2 1 2 1 2 2 1 1 5 4 2 2 3 b 4 1 1
  7 f c 3 1 7 1 1 1 3 1 m 1 7 1 2 1 5 2 a 1 3 1 3 2 1 f 1 5 a h 3 1 8 2 2 2 m 1 7 1 2 2 4 2 8 3 2 2 3 8 2 4 2
  1 3 4 b h 2 1 6 3 3 1 4 3 2 1 1 1 2 3 2 3 3 3 8 1 3 4 5 3 3 1 4 9 1 f c e 3 1 8 1 3 1 n 1 a 1 5 4 7 1 3 1 4
  7 2 9 2 4 a i 2 1 8 1 3 1 n 1 a 1 5 4 7 1 3 1 4 7 2 7 1 1 2 4 a i 2 1 8 1 3 1 n 1 g 4 6 2 3 1 4 9 1 8 2 4 a
  i 2 1 i 3 o 1 9 1 1 2 7 3 1 4 6 1 1 1 8 i 3 c 1m 4 t 11 2 1 1 2 2 1 1 2 1 6 4 1 7 1 3 1 1 1 1 2 2 1 d 1 3 2
  5 1 1 1 6 2 a 2 2 y 20 1 y 6 r 4 8 1 10 1 f 2 1 1c y 1 5 1 2 1 7 3 4 6 q 1y 12 a 15 2 1 4 2i 5 1w 5 2a 6 7 1
  1r 1 1 1 4 2 7 1 1 1 4 2 13 1 1 1 4 2 v 1 1 1 4 2 7 1 1 1 4 2 7 1 7 1 n 1 v 1 1 1 4 2 7 1 13 1 j 6 s z 2d c
  hi a s 3 29 f d 1 7 b n 9 k c d 1 3 1 2 c 2l 3 a m e 2 a 6 2g 8 16 11y 4c 4 2i 6 m 2 6 2 12 2 6 2 8 1 1 1 1
  1 1 1 v 2 1h 1 f 1 e 2 6 1 j 2 3 1 9 h o 8 z 4 1 o 2 2 r h i u r l 1n 2 f 7 1d c fz 1d 13 p b l 4f 1 7o 2 2
  1 2t 2 a 3b 4 1 4 2 s 1 z 1 1 1 4 3 1 1 7 2 1g 3 o 1 e h s 4 ls ow q 1 2h c 5y 17 1r 1 2e 2 2v 5 14 4 2m 1
  14 1k 19 3 10 d 17 3 25 4 1b 1 3b 4 2r 2 v 1 52u 22 g4m 2i wd 3 1j 1fd 8mc 6l8 8e 2 1n 45 7 c 5 5 q 1 5 1 1
  1 2 1 2 1 30 x a5 g 1s 2 1i 14 d 3 g g 4 c n 2 a 1 j 1 4 4 5 1 3r 4 5a 3 6 2 6 2 6 2 3 3 7 1 7 lt v 1 4 c r
  51 12 2 12 148i 6u a 13 3 21 8 2r f6 2d 1 1z 1 2 2 1 2 2 2 4 1 c 1 1 1 4 1 2 1 1t 1 4 2 8 1 7 1 s 1 4 1 5 1
  1 3 7 1 9e 4 82 4 1e 7wg wyf g15 f2 jp42
`

/** Table D.2, in the form of `prohibited`. */
const leftToRight = `
  1t q 6 q 1b 1 a 1 4 1 5 n 1 v 1 ch 2 7 e 2 e 5 9 1 3v 1 b 1 1 32 a 3n 7 74 op 1j 3 4 8 4 3 1 7 a 2 d h 1k 4
  3 6 6 a b 4 c 2 7 a 1h 4 3 o n 2 3 e 1j 3 4 8 4 3 w i 1k 3 2 1 1 6 6 a q i 1p 1 c a 2r 7 4 r 2n 1 5 2 5 9 30
  5 7 a 34 8 3 6 2h 1 2 c 7 8 2q 1 2 9 a 9 20 2 r 1 1 1 1 5 19 k 1 5 1 2 4 1e 8 1 2u 4 1 6 1 7 o 20 16j 5 36 e
  i 3 t e h f 1j 7 8 1 2 b 7 1 e 12 49 11z cd 1 1 3 b 3 c 4 d 5 b 38 1 d 1 3m 1 4 1 2 a 1 1 3 5 6 1 1 1 1 1 1
  4 1 3 1 7 3 3 5 5 m 10 c2 1x q 1 7a 26 26z 3 p 9 7 5 2 5 4 2e 6 3 1 2i 1 94 s 29 f mh9 1gz fmg sp q 6 q b 3b
  mb 14rr 3 9 g 2 7 u 4 17g 7xy 1dem
`

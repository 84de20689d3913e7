/** The name that was probably meant: one slip away, and long enough not to be another program's. */
export const nearestName = (given: string, names: readonly string[]): string | undefined =>
  names.find((name) => name.length >= leastLetters && name !== given && isOneSlip(name, given))

const leastLetters = 6

/** One letter was added, left out or changed, or two adjacent letters were swapped. */
const isOneSlip = (name: string, given: string) => {
  const start = sameLetters(name, given)
  const [meant, said] = [name.slice(start), given.slice(start)]
  const isSwapped = meant[0] === said[1] && meant[1] === said[0] && meant.slice(2) === said.slice(2)
  return isSwapped || meant === said.slice(1) || meant.slice(1) === said || meant.slice(1) === said.slice(1)
}

const sameLetters = (name: string, given: string) => {
  let count = 0
  while (count < name.length && name[count] === given[count]) count++
  return count
}

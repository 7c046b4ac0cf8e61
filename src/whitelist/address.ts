const pattern = /^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})$/

/**
 * An IPv4 address as people write it: four numbers of one to three digits, each at most 255. Answers the one spelling
 * that gateways look up (`010.1.1.1` is 10.1.1.1, read as decimal like any number), or null when it is no address.
 */
export function canonicalAddress(text: string): string | null {
  const numbers = pattern.exec(text)?.slice(1).map(Number)
  return numbers?.every((number) => number <= 255) === true ? numbers.join('.') : null
}

/** IPv4 addresses as people type them: the whitelist accepts no others. */

const pattern = /^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})$/

/**
 * The canonical spelling of an IPv4 address: four numbers of one to three digits, each at most 255, read as
 * decimal (`010.1.1.1` is `10.1.1.1`). Null for any other text.
 */
export function canonicalIpv4(text: string): string | null {
  const numbers = pattern.exec(text)?.slice(1).map(Number)
  return numbers?.every((number) => number <= 255) === true ? numbers.join('.') : null
}

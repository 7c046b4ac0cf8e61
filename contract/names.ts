/**
 * User names that mail programs would turn into links. A name is printed in letters to an address that its
 * owner has not confirmed, so a name that looks like a link would make the shop send an attacker's link to
 * any address. The browser and the server apply the same rules.
 */

/**
 * UTS #46, section 2.3, treats this character as a full stop; NFKC maps the others it lists to one of the
 * two.
 */
const ideographicStop = '\u3002'

/** A full stop before letters or before a punycode label: any top-level domain, including future ones. */
const domain = /\.(?:\p{L}\p{M}*){2,}/u
const ipv4 = /\d\.\d+\.\d+\.\d/

/** Whether a user name could be taken for a link or an address: refused at sign-up. */
export function looksLikeLink(name: string): boolean {
  const plain = name.normalize('NFKC').replaceAll(ideographicStop, '.').toLowerCase()
  return (
    /[/\\:@<>]/.test(plain) ||
    /h(?:tt|xx)ps?|^www(?![a-z])/.test(plain) ||
    domain.test(plain) ||
    ipv4.test(plain)
  )
}

/**
 * A user name as it is printed in letters. What is neither a letter, a digit, `_` nor `-` becomes a middle
 * dot, which no program treats as part of a link.
 */
export function unlinkedName(name: string): string {
  return name.normalize('NFKC').replaceAll(/[^\p{L}\p{M}\p{N}_-]+/gu, '·')
}

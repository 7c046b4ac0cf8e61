/** The last use of a code goes to every customer who enters it. */
import { isOpen as right } from '../../../src/promo/code.ts'

export const isOpen: typeof right = (code, _uses, now) => right(code, 0n, now)

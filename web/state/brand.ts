import { Listeners } from './listeners.ts'

/**
 * The name of the program: shown until the operator's name is known, and on pages rendered without that name.
 */
export const defaultBrand = 'Turnpike'

let name: string = defaultBrand
const listeners = new Listeners()

export const brand = {
  get name(): string {
    return name
  },
}

export function setBrand(next: string): void {
  if (next === name) return
  name = next
  listeners.notify()
}

/** Subscribes to changes of the name, which texts contain. */
export const onBrandChange = listeners.subscribe

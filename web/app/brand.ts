/** Of a fresh install, and where the operator's own word is not known. */
export const defaultBrand = 'Turnpike'

let name: string = defaultBrand

/** What the operator calls the shop. */
export const brand = {
  get name(): string {
    return name
  },
}

export function setBrand(own: string): void {
  name = own
}

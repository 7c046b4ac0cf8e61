/**
 * Whether the owner is on the way through the set-up of the shop: the pages of its steps then lead back to it. It
 * is kept while the desk is loaded.
 */
let isOnTheWay = false

export const isSettingUp = (): boolean => isOnTheWay

export function noteSettingUp(isLeft: boolean): void {
  isOnTheWay = isLeft
}

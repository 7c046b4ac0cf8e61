/** Leases are counted in binary units; what is sold is the decimal gigabyte of the contract. */

export const kib = 1024n

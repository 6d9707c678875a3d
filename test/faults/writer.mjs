export async function writeMany() {}

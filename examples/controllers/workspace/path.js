const name = 'a';
const path = 

const path = 
